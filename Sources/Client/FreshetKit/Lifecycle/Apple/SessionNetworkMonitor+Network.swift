// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(Network)
    internal import Dispatch
    internal import Network

    extension SessionNetworkMonitor {
        /// The system's `NWPathMonitor`, for ``AuthSession/Configuration/networkMonitor``.
        public static var system: SessionNetworkMonitor {
            SessionNetworkMonitor {
                let (stream, listener) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
                let path = PathMonitor(), reports = Locked(NetworkPathFilter(on: .current))
                // A path that requires a connection, such as a VPN on demand, is connected by using it.
                path.monitor.pathUpdateHandler = { path in
                    let isUp = reports.withLock { $0.isUp(path.status != .unsatisfied) }
                    if let isUp { listener.yield(isUp) }
                }
                listener.onTermination = { _ in path.monitor.cancel() }
                path.monitor.start(queue: DispatchQueue(label: "freshet.network"))
                return stream
            }
        }
    }

    /// A wrapper of the monitor, which one thread uses at a time: it is set up here, and later only cancelled.
    private struct PathMonitor: @unchecked Sendable {
        let monitor = NWPathMonitor()
    }
#endif
