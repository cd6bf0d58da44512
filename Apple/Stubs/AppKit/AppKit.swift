// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

@MainActor open class NSApplication: NSObject {
    public static let didBecomeActiveNotification = NSNotification.Name("")

    open var isActive: Bool { false }
}

@MainActor public var NSApp: NSApplication?
