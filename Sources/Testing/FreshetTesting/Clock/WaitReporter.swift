// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// A reporter that prints the reason of a wait that takes long in real time.
///
/// The wait continues, because the machine may be slow; a test that hangs has printed its reason.
public struct WaitReporter: Sendable {
    /// The real time after which a wait is reported.
    public var threshold: Duration
    private let print: @Sendable (String) -> Void

    /// Creates a reporter that passes reports to a closure.
    ///
    /// - Parameters:
    ///   - threshold: The real time after which a wait is reported.
    ///   - print: Receives a report of one or more lines; called on any thread.
    public init(threshold: Duration = .seconds(2), print: @escaping @Sendable (String) -> Void) {
        self.threshold = threshold
        self.print = print
    }

    /// Reports waits of more than two seconds on standard error.
    public static var standardError: WaitReporter {
        WaitReporter { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
    }

    /// Starts watching a wait; the caller cancels the task when the wait ends.
    ///
    /// It reports again when the report has changed, at growing intervals.
    ///
    /// - Parameter report: Returns the reason of the wait; `nil` if there is no new reason.
    /// - Returns: The task that watches the wait.
    package func task(_ report: @escaping @Sendable () -> String?) -> Task<Void, Never> {
        Task.detached(priority: .utility) { [self] in
            var last = ""
            var pause = threshold
            var waited = Duration.zero
            while (try? await Task.sleep(for: pause)) != nil {
                waited += pause
                pause *= 2
                guard let text = report(), text != last, !Task.isCancelled else { continue }
                last = text
                print("FreshetTesting: \(waited.text) of real time have passed. " + text)
            }
        }
    }
}
