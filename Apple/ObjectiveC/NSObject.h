// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// The root class of Objective-C: only classes that inherit from one of Objective-C can be declared @objc.

@protocol NSObject
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
- (instancetype _Nonnull)init;
@end
