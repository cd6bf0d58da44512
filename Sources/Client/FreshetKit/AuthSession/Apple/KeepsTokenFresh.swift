// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(SwiftUI)
    public import SwiftUI

    extension View {
        /// Refreshes a session's access token ahead of its expiry while this view's window is active.
        ///
        /// Put it on the root view of an app with one window; an app with several uses the scene's modifier of this name.
        public func keepsTokenFresh(_ session: AuthSession) -> some View {
            modifier(ForegroundRefreshModifier(session: session))
        }
    }

    extension Scene {
        /// Refreshes a session's access token ahead of its expiry while any window of this scene is active.
        public func keepsTokenFresh(_ session: AuthSession) -> some Scene {
            ForegroundRefreshScene(session: session, content: self)
        }
    }

    private struct ForegroundRefreshModifier: ViewModifier {
        @Environment(\.scenePhase) private var phase
        let session: AuthSession

        func body(content: Content) -> some View {
            content.onChange(of: phase, initial: true) { _, phase in session.follow(phase) }
        }
    }

    private struct ForegroundRefreshScene<Content: Scene>: Scene {
        @Environment(\.scenePhase) private var phase
        let session: AuthSession
        let content: Content

        var body: some Scene {
            content.onChange(of: phase, initial: true) { _, phase in session.follow(phase) }
        }
    }

    extension AuthSession {
        fileprivate func follow(_ phase: ScenePhase) {
            switch phase {
            case .active: enterForeground()
            case .background: enterBackground()
            // A call or the app switcher covers the window briefly.
            case .inactive: break
            @unknown default: break
            }
        }
    }
#endif
