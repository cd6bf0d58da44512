// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes

/// One page: a template, and what is filled into it.
package struct Page: Sendable {
    /// The template's name.
    var template: String
    var title: String
    /// A struct whose stored properties the template names; strings come to the page escaped.
    var content: any Sendable
    var status = HTTPResponse.Status.ok
    /// Who is signed in, as the head of the page shows it; `nil` for nobody.
    var account: String?
    /// Whether the page is narrow: one form, one message.
    var isNarrow = false

    init(
        _ template: String,
        title: String,
        _ content: any Sendable,
        status: HTTPResponse.Status = .ok,
        account: String? = nil,
        isNarrow: Bool = false
    ) {
        self.template = template
        self.title = title
        self.content = content
        self.status = status
        self.account = account
        self.isNarrow = isNarrow
    }
}

/// What `confirm.mustache` shows before something is done that cannot be undone.
struct Confirmation: Sendable {
    /// A value that the form carries beside its word.
    struct Field: Sendable {
        var name: String
        var value: String
    }

    var heading: String
    /// What will happen, a sentence each.
    var consequences: [String]
    /// Where the form goes.
    var action: String
    var button: String
    /// Where one goes who does not want it.
    var cancel: String
    var fields: [Field] = []
}
