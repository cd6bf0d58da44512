// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import NIOCore
import NIOSSL

extension Channel {
    /// Closes the connection without waiting for its peer: what is not written is dropped, and TLS says no goodbye.
    ///
    /// A TLS connection that is closed the ordinary way waits five seconds for the peer's `close_notify`.
    func closeImmediately() {
        eventLoop.execute { [self] in
            if let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
                tls.close(promise: nil)
            } else {
                close(promise: nil)
            }
        }
    }
}
