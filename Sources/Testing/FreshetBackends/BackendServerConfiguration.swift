// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import Foundation

/// The user's settings for a served fake backend.
package struct BackendServerConfiguration: Sendable {
    /// The app whose backend to serve; one of ``BackendServer/backends``.
    package var backend: String
    /// The port on 127.0.0.1; 0 lets the system choose.
    package var port: Int
    /// The lifetime of access tokens; by default, that of the app's own backend.
    package var accessLifetime: Duration?
    /// The lifetime of refresh tokens; by default, that of the app's own backend.
    package var refreshLifetime: Duration?
    /// Changes of other settings, in the JSON format of `POST /__backend/settings`.
    package var settings: Data?
    /// The initial faults, in the JSON format of `POST /__backend/faults`.
    package var faults: Data?

    /// Creates the configuration of the app's own backend.
    package init(backend: String, port: Int = 0) {
        self.backend = backend
        self.port = port
    }
}
