// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

public enum WKApplicationState: Int, Sendable { case active, inactive, background }

@MainActor open class WKApplication: NSObject {
    public static let didBecomeActiveNotification = NSNotification.Name("")
    public static let didEnterBackgroundNotification = NSNotification.Name("")

    open class func shared() -> WKApplication { WKApplication() }
    open var applicationState: WKApplicationState { .active }
}
