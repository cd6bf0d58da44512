// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetCommandLine
import FreshetKit

/// The output of `freshet watch`; each method returns whether the output is still open.
struct WatchScreen {
    enum Format: Equatable {
        /// Frames that replace each other on a terminal.
        case redrawn
        /// One line per change.
        case lines
        /// One JSON object per change.
        case json
    }

    let session: AuthSession
    private let profile: String
    private let server: URL
    private let format: Format
    private var history = WatchHistory()
    private var region = RedrawnRegion()

    init(session: AuthSession, profile: String, server: URL, format: Format) {
        self.session = session
        self.profile = profile
        self.server = server
        self.format = format
    }

    var isRedrawn: Bool { format == .redrawn }

    /// Shows the state at the start.
    mutating func begin() -> Bool { isRedrawn ? draw() : write(opening) }

    /// Shows the state as a frame that is not redrawn.
    mutating func showOnce() -> Bool {
        format == .json ? write(opening) : print(view.facts.joined(separator: "\n"))
    }

    /// Shows an event.
    mutating func show(_ event: SessionEvent) -> Bool {
        let entry = history.add(event)
        if isRedrawn { return draw() }
        return entry.map(write) ?? true
    }

    /// Shows the time that has passed.
    mutating func tick() -> Bool { isRedrawn ? draw() : true }

    private var view: WatchView {
        WatchView(
            profile: profile,
            server: server,
            status: session.status,
            refreshIn: session.refreshIn,
            entries: history.entries,
            now: Date()
        )
    }

    private var opening: WatchEntry {
        let view = view
        return WatchEntry(date: view.now, name: "status", text: view.summary)
    }

    private mutating func draw() -> Bool {
        let size = Terminal.size
        return print(
            region.replace(with: view.frame(rows: size.rows, columns: size.columns), width: size.columns),
            end: ""
        )
    }

    private func write(_ entry: WatchEntry) -> Bool {
        guard format == .json else { return print(view.line(entry)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        guard let data = try? encoder.encode(view.record(entry)) else { return true }
        return print(String(decoding: data, as: UTF8.self))
    }

    private func print(_ text: String, end: String = "\n") -> Bool { Output.write(text + end) }
}
