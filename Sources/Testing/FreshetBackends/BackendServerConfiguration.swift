// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// What a person decides about the double that is served.
package struct BackendServerConfiguration: Sendable {
    /// Which app's backend; one of ``BackendServer/backends``.
    package var backend: String
    /// The port on 127.0.0.1; 0 lets the system choose.
    package var port: Int
    /// How long access tokens live, if not as long as the app's own.
    package var accessLifetime: Duration?
    /// How long refresh tokens live, if not as long as the app's own.
    package var refreshLifetime: Duration?
    /// What else differs, in JSON, as `POST /__backend/settings` takes it.
    package var settings: Data?
    /// What goes wrong from the start, in JSON, as `POST /__backend/faults` takes it.
    package var faults: Data?

    /// A backend as the app's own.
    package init(backend: String, port: Int = 0) {
        self.backend = backend
        self.port = port
    }
}
