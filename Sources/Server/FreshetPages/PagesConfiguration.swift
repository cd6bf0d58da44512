// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetMail

/// What an operator decides about the pages for people.
package struct PagesConfiguration: Equatable, Sendable {
    /// Whether there are any.
    package var isOn = true
    /// Whose accounts they are, as the head of every page says.
    package var name = "Freshet"
    /// How long a sign-in to the pages lasts that nobody uses.
    package var idle = Duration.seconds(1800)
    /// How long it lasts in all.
    package var absolute = Duration.seconds(12 * 3600)

    package init() {}

    /// The longest name; it must fit on a phone.
    package static let longestName = 40

    package func validate() throws(PagesStartupError) {
        guard (1...Self.longestName).contains(name.count), !name.unicodeScalars.contains(where: \.isControl) else {
            throw .pagesName(name)
        }
        guard idle > .zero, absolute > .zero else { throw .lifetimeNotPositive }
    }
}
