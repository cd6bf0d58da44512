// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ArgumentParser
import Foundation
import FreshetCommandLine
import FreshetKit
import UnixSignals

/// `freshet watch`: shows the session live.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows the session live: the token's expiry, the next refresh, and the last events.",
        discussion: """
            On a terminal it redraws in place; elsewhere it prints one line per change, and with --json one JSON \
            object per line. q or Ctrl-C ends it.

            It keeps the session fresh as an app in the foreground does: one refresh ahead of each expiry, by the \
            session's own schedule. Refreshes, sign-ins and sign-outs of other processes with the same profile are \
            shown within two seconds. With --once it prints the state without a request to the server, and exits with 4 \
            if the user is signed out and with 6 if the store cannot be read.

            Example:
              freshet watch
              freshet watch --json | jq .message
            """
    )

    @OptionGroup var options: ProfileOptions

    @Flag(help: "Print the state once, and exit.")
    var once = false

    @Flag(help: "Print plain lines, as when the output is not a terminal.")
    var plain = false

    private enum Update: Sendable {
        case event(SessionEvent)
        /// A second has passed.
        case tick
        case end
    }

    func run() async throws {
        let profile = options.value
        let settings = try profile.settings()
        let session = try profile.session(with: settings)
        let screen = WatchScreen(
            session: session,
            profile: profile.name,
            server: settings.server,
            format: options.json ? .json : TextStyle.isTerminal(STDOUT_FILENO) && !plain && !once ? .redrawn : .lines
        )
        if once { return try showOnce(screen) }
        // Trapped before the terminal's mode is changed: an untrapped signal would leave it changed.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let keys = screen.isRedrawn ? KeyInput() : nil
        defer { keys?.restore() }
        let (updates, feed) = AsyncStream.makeStream(of: Update.self)
        session.observe { feed.yield(.event($0)) }
        let tasks = [
            Task {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(1))
                    await session.reload()
                    feed.yield(.tick)
                }
            },
            Task {
                for await _ in signals { feed.yield(.end) }
            },
            Task {
                guard let keys else { return }
                for await key in keys.keys where key == "q" { feed.yield(.end) }
            },
        ]
        defer { for task in tasks { task.cancel() } }
        session.enterForeground()
        try await follow(updates, on: screen)
    }

    private func follow(_ updates: AsyncStream<Update>, on screen: WatchScreen) async throws {
        var screen = screen
        var isOpen = screen.begin()
        // The reader of a pipe has closed it, or the device is full.
        guard isOpen else { return }
        for await update in updates {
            switch update {
            case .event(let event): isOpen = screen.show(event)
            case .tick: isOpen = screen.tick()
            case .end: return
            }
            if !isOpen { return }
        }
    }

    private func showOnce(_ screen: WatchScreen) throws {
        var screen = screen
        _ = screen.showOnce()
        try screen.session.state.requireSignedIn()
    }
}
