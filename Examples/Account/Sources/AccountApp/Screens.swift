// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

#if canImport(SwiftUI)
    import AccountModel
    import FreshetKit
    import SwiftUI

    /// Selects the screen by the session's state, and by nothing else.
    struct RootView: View {
        let account: Account
        @State var observed: ObservedSession

        var body: some View {
            switch observed.state {
            case .unknown: Text("One moment")  // The keychain is locked: show no sign-in.
            case .signedOut(let reason?): SignInView(model: SignInModel(account), reason: reason.description)
            case .signedOut(nil), .recordUnusable: SignInView(model: SignInModel(account), reason: "")
            default: HomeView(model: HomeModel(account))
            }
        }
    }

    struct SignInView: View {
        @State var model: SignInModel
        let reason: String

        var body: some View {
            Form {
                Text(reason)
                TextField("Email", text: $model.email)
                Button("Mail me a code") { Task { await model.sendCode() } }
                if model.isCodeSent {
                    TextField("Code", text: $model.code)
                    Button("Sign in") { Task { await model.signIn() } }
                }
                Text(model.message)
            }
        }
    }

    struct HomeView: View {
        @State var model: HomeModel

        var body: some View {
            Form {
                TextField("Name", text: $model.name)
                Button("Save") { Task { await model.save() } }
                if model.waiting > 0 { Text("Saved here, and sent when there is a network.") }
                ForEach(model.devices) { device in
                    if device.isCurrent {
                        Text("This device")
                    } else {
                        Button("End \(device.device.platform ?? "a device")") { Task { await model.end(device) } }
                    }
                }
                Button("Sign out") { Task { await model.signOut() } }
                Text(model.message)
            }
            .task { await model.load() }
            .task { await model.followOutbox() }
        }
    }
#endif
