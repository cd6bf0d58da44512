// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetMail

/// The settings of the account pages.
package struct PagesConfiguration: Equatable, Sendable {
    /// Whether the account pages are enabled.
    package var isOn = true
    /// The name of the service, shown at the top of every page.
    package var name = "Freshet"
    /// The idle timeout of a session of the pages.
    package var idle = Duration.seconds(1800)
    /// The absolute lifetime of a session of the pages.
    package var absolute = Duration.seconds(12 * 3600)

    package init() {}

    /// The maximum length of the name, in characters: a longer one does not fit on a phone's screen.
    static let longestName = 40

    package func validate() throws(PagesStartupError) {
        guard (1...Self.longestName).contains(name.count), !name.unicodeScalars.contains(where: \.isControl) else {
            throw .pagesName(name)
        }
        guard idle > .zero, absolute > .zero else { throw .lifetimeNotPositive }
    }
}
