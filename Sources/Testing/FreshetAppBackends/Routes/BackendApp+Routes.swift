// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension BackendApp {
    /// The routes of the app's backend.
    var routes: any AppRoutes {
        switch self {
        case .authservice: AuthServiceRoutes()
        case .bitbasel: BitBaselRoutes()
        case .melchat: MelChatRoutes()
        case .creatist: CreatistRoutes()
        case .outbox: OutboxRoutes()
        }
    }
}
