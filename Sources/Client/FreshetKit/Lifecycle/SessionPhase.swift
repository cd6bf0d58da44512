// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Whether the app is in front of its user.
public enum SessionPhase: String, Sendable, Equatable {
    /// Nobody said; tokens are refreshed when one is wanted. Right for servers and tools.
    case unattended
    /// The user looks at the app: tokens are refreshed before anybody asks.
    case foreground
    /// The app may be suspended at any moment: no timer runs.
    case background
}
