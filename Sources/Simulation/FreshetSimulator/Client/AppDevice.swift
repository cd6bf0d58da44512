// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if os(Linux)
    import FreshetKit

    /// A process of an app, whichever backend the app has.
    protocol AppProcess: AnyObject {
        /// The name in the story of the history.
        var name: String { get }
        var session: AuthSession { get }
        /// Ends the process between two steps.
        func kill()
    }

    /// A device with processes of an app that share a store.
    protocol AppDevice: AnyObject {
        associatedtype Process: AppProcess
        var record: SharedRecord { get }
        var clock: DeviceClock { get }
        var processes: [Process] { get set }
        /// The number of times that the store was unavailable.
        var storeFaults: Int { get set }
    }

    extension AppDevice {
        /// Adds a process, or puts it in the place of one that ends.
        func enter(_ process: Process, at number: Int) {
            guard number < processes.count else { return processes.append(process) }
            processes[number].kill()
            processes[number] = process
        }
    }
#endif
