// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// Whether the app is in the foreground.
public enum SessionPhase: String, Sendable, Equatable {
    /// Not set; tokens are refreshed on demand. For servers and command-line tools.
    case unattended
    /// The app is in the foreground: tokens are refreshed ahead of their expiry.
    case foreground
    /// The app may be suspended at any moment: no timers run.
    case background
}
