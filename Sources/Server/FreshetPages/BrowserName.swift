// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

/// The browser and operating system that a `User-Agent` names, such as `Firefox on Linux`.
struct BrowserName: Equatable, Sendable {
    let text: String

    init(_ userAgent: String?) {
        let agent = userAgent ?? ""
        // Browsers include the names of other browsers, so the rarer names come first.
        let browser = Self.browsers.first { agent.contains($0.mark) }?.name
        let system = Self.systems.first { agent.contains($0.mark) }?.name
        switch (browser, system) {
        case (let browser?, let system?): text = "\(browser) on \(system)"
        case (let browser?, nil): text = browser
        case (nil, let system?): text = "A browser on \(system)"
        case (nil, nil): text = "A browser"
        }
    }

    private static let browsers: [(mark: String, name: String)] = [
        ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("OPR/", "Opera"), ("Vivaldi/", "Vivaldi"),
        ("SamsungBrowser/", "Samsung Internet"), ("DuckDuckGo/", "DuckDuckGo"), ("FxiOS/", "Firefox"),
        ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"), ("curl/", "curl"),
    ]

    private static let systems: [(mark: String, name: String)] = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
        ("Macintosh", "Mac"), ("CrOS", "ChromeOS"), ("Linux", "Linux"), ("FreeBSD", "FreeBSD"),
    ]
}
