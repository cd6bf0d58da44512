// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import HTTPTypes

/// A page: a template and its values.
struct Page: Sendable {
    /// The template's name.
    var template: String
    var title: String
    /// A struct whose stored properties the template uses; strings are escaped.
    var content: any Sendable
    var status = HTTPResponse.Status.ok
    /// The signed-in account, shown in the page's header; `nil` if not signed in.
    var account: String?
    /// Whether the page is narrow, for one form or one message.
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

/// The content of `confirm.mustache`, shown before an action that cannot be undone.
struct Confirmation: Sendable {
    /// A value that the form contains in addition to its CSRF token.
    struct Field: Sendable {
        var name: String
        var value: String
    }

    var heading: String
    /// The consequences, one sentence each.
    var consequences: [String]
    /// The path that the form is sent to.
    var action: String
    var button: String
    /// The path of the link that cancels.
    var cancel: String
    var fields: [Field] = []
}
