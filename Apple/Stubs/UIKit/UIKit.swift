// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

public import Foundation

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public var rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

@MainActor open class UIApplication: NSObject {
    public static let shared = UIApplication()
    public static let didBecomeActiveNotification = NSNotification.Name("")
    public static let didEnterBackgroundNotification = NSNotification.Name("")
    public static let protectedDataDidBecomeAvailableNotification = NSNotification.Name("")

    public enum State: Int, Sendable { case active, inactive, background }
    open var applicationState: State { .active }

    open func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { .invalid }
    open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

// In the SDK these come with Foundation.
extension NSObject {
    public class func value(forKeyPath keyPath: String) -> Any? { nil }
}

extension NSNotification.Name {
    public static let NSExtensionHostDidBecomeActive = NSNotification.Name("")
    public static let NSExtensionHostDidEnterBackground = NSNotification.Name("")
}

extension ProcessInfo {
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}
