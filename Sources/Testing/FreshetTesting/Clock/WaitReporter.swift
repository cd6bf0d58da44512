// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetKit

/// Says what a test waits for, once the wait has taken a moment of real time.
///
/// The wait goes on: a machine may be slow. A test that hangs has said why.
public struct WaitReporter: Sendable {
    /// How long a wait may take before it is reported, in real time.
    public var threshold: Duration
    private let print: @Sendable (String) -> Void

    /// Reports to a closure.
    ///
    /// - Parameters:
    ///   - threshold: How long a wait may take before it is reported.
    ///   - print: Takes a report of one or more lines; called from any thread.
    public init(threshold: Duration = .seconds(2), print: @escaping @Sendable (String) -> Void) {
        self.threshold = threshold
        self.print = print
    }

    /// Reports waits of more than two seconds on standard error.
    public static var standardError: WaitReporter {
        WaitReporter { FileHandle.standardError.write(Data(($0 + "\n").utf8)) }
    }

    /// Starts to watch one wait; the caller cancels the task when the wait is over.
    ///
    /// It reports again, ever more rarely, when there is something else to say.
    ///
    /// - Parameter report: Says what is waited for, if there is something new to say.
    /// - Returns: The task that watches.
    func task(_ report: @escaping @Sendable () -> String?) -> Task<Void, Never> {
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
