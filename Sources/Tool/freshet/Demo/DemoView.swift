// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetCommandLine
import NIOConcurrencyHelpers

/// The output of the running demo: an animation on a terminal, plain lines elsewhere.
final class DemoView: Sendable {
    /// The current figures.
    struct Counters: Sendable {
        var calls = 0
        var requests = 0
        var refreshes = 0
        var dropped = 0
        var unauthorized = 0
        /// The remaining share of the access token's lifetime, from 1 to 0.
        var freshness = 0.0
        var state = ""
    }

    private struct Line {
        var title: String
        var finding: String?
        var held = true
    }

    private struct Picture {
        var acts: [Line] = []
        var note = ""
        var counters = Counters()
        var region = RedrawnRegion()
        var frame = 0
    }

    private let isLive: Bool
    private let isSilent: Bool
    private let style = TextStyle.output
    private let picture = NIOLockedValueBox(Picture())
    private static let spinner = Array("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
    private static let width = 76

    init(isLive: Bool, isSilent: Bool = false) {
        self.isLive = isLive
        self.isSilent = isSilent
    }

    func begin(_ title: String) {
        picture.withLockedValue { $0.acts.append(Line(title: title)) }
        if !isLive && !isSilent { Output.line(title) }
        draw()
    }

    /// Prints the progress within the act.
    func note(_ text: String) {
        picture.withLockedValue { $0.note = text }
        if !isLive && !isSilent { Output.line("    \(text)") }
        draw()
    }

    func end(_ finding: String, held: Bool) {
        picture.withLockedValue { picture in
            picture.note = ""
            guard !picture.acts.isEmpty else { return }
            picture.acts[picture.acts.count - 1].finding = finding
            picture.acts[picture.acts.count - 1].held = held
        }
        if !isLive && !isSilent { Output.line("  \(held ? "ok" : "BROKEN"): \(finding)") }
        draw()
    }

    /// Redraws with new figures several times a second until cancelled.
    func follow(_ counters: @escaping @Sendable () async -> Counters) async {
        guard isLive else { return }
        while !Task.isCancelled {
            let counters = await counters()
            picture.withLockedValue { picture in
                picture.counters = counters
                picture.frame += 1
            }
            draw()
            try? await Task.sleep(for: .milliseconds(120))
        }
    }

    private func draw() {
        guard isLive else { return }
        let text = picture.withLockedValue { picture in
            let lines = lines(picture)
            return picture.region.replace(with: lines)
        }
        Output.write(text)
    }

    private func lines(_ picture: Picture) -> [String] {
        var lines = [style.bold("Freshet") + "  a session that stays", ""]
        for act in picture.acts {
            guard let finding = act.finding else {
                lines.append(
                    "\(style.cyan(String(Self.spinner[picture.frame % Self.spinner.count]))) \(style.bold(Self.cut(act.title)))"
                )
                lines.append("    \(style.dim(Self.cut(picture.note)))")
                continue
            }
            lines.append("\(act.held ? style.green("✔") : style.red("✘")) \(Self.cut(act.title))")
            lines.append("    \(style.dim(Self.cut(finding)))")
        }
        let counters = picture.counters
        let filled = Int((counters.freshness * 24).rounded())
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
        lines += [
            "",
            "  access token  \(counters.freshness > 0.25 ? style.green(bar) : style.yellow(bar))  \(counters.state)",
            "  calls \(style.bold("\(counters.calls)"))   requests \(style.bold("\(counters.requests)"))   refreshes "
                + "\(style.bold("\(counters.refreshes)"))   answers dropped \(style.bold("\(counters.dropped)"))   401s "
                + (counters.unauthorized == 0 ? style.green("0") : style.red("\(counters.unauthorized)")),
        ]
        return lines
    }

    private static func cut(_ text: String) -> String { String(text.prefix(width)) }
}
