// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The first start of `freshet serve`, which mentions `freshet init`.
enum FirstStart {
    /// The note for the first start on a terminal.
    ///
    /// It does not ask: a server that waits for a key would not start unattended.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether a user started the server on a terminal.
    ///   - hasData: Whether there is a data folder, or a database elsewhere.
    ///   - isProduction: Whether the server is a production server.
    /// - Returns: The note; `nil` for a start that needs none.
    static func note(isTerminal: Bool, hasData: Bool, isProduction: Bool) -> String? {
        guard isTerminal, !hasData, !isProduction else { return nil }
        return "freshet: first start, the data folder is created; `freshet init` asks what you have, and prints the "
            + "commands to type next"
    }
}
