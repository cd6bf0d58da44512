// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

extension TestBackend {
    /// An operation of the native contract, or a request of the app.
    enum Target {
        case code, login, refresh, confirm, report, logout, app, elsewhere

        init(_ request: BackendRequest) {
            if request.host.map({ "https://\($0.lowercased())" }) == TestBackend.otherOrigin {
                self = .elsewhere
                return
            }
            self =
                switch request.path {
                case "/v1/signup", "/v1/login/password", "/v1/login/code/verify", "/v1/login/apple": .login
                case "/v1/login/code": .code
                case "/v1/refresh": .refresh
                case "/v1/confirm": .confirm
                case "/v1/report": .report
                case "/v1/logout": .logout
                default: .app
                }
        }

        /// The endpoint by which the script of faults names the target.
        func endpoint(of path: String) -> BackendEndpoint {
            switch self {
            case .code: .code
            case .login: .login
            case .refresh: .refresh
            case .logout: .logout
            case .elsewhere: .elsewhere
            case .confirm, .report: .path(path)
            case .app: path == "/v1/logout-all" ? .logout : path == "/v1/socket" ? .socket : .api
            }
        }
    }
}
