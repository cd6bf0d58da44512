// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The values of the layout; templates use them by these names.
struct PageLayout {
    struct Link {
        var path: String
        var title: String
        var isCurrent: Bool
    }

    let title: String
    let site: String
    let home: String
    let stylesheet: String
    let icon: String
    /// The CSRF token of forms.
    let formToken: String
    let formTokenField = PageForm.tokenField
    let account: String?
    let isSignedIn: Bool
    let isNarrow: Bool
    let hasNotice: Bool
    let notice: String?
    let links: [Link]
    /// The page's own values.
    let page: any Sendable
    /// The rendered page, which only the layout inserts unescaped.
    var main = ""

    init(_ visit: PageRequestContext, _ page: Page, notice: String?) {
        let site = visit.site
        title = page.title
        self.site = site.name
        home = site.home
        stylesheet = site.stylesheet
        icon = site.icon
        formToken = visit.secret.formToken
        account = page.account
        isSignedIn = page.account != nil
        isNarrow = page.isNarrow
        hasNotice = notice != nil
        self.notice = notice
        links =
            page.account == nil
            ? [] : site.links.map { Link(path: $0.path, title: $0.title, isCurrent: $0.path == visit.path) }
        self.page = page.content
    }
}
