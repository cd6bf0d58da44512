// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

package import SeededRandom

/// A volume in memory that loses at a power failure what POSIX permits to be lost.
///
/// The content of a file is durable after a sync of the file, and a name after a sync of its folder. Of other changes
/// each may be lost or kept, in any order, and the content of a file may be a mixture of old and new. A process accesses
/// it with a ``SimulatedFileSystem``. It must be used by one thread.
package final class SimulatedVolume: @unchecked Sendable {
    /// A file or folder.
    final class Node {
        let number: UInt64
        let isFolder: Bool
        let mode: UInt32
        var content: [UInt8] = []
        var durableContent: [UInt8] = []
        /// The time of the last change of the content.
        var changedAt = (seconds: 0, order: 0)
        var entries: [String: Node] = [:]
        var durableEntries: [String: Node] = [:]
        /// The changes of the names since the last sync.
        var changes: [NameChange] = []

        init(_ number: UInt64, isFolder: Bool, mode: UInt32) {
            self.number = number
            self.isFolder = isFolder
            self.mode = mode
        }

        func change(_ change: NameChange) {
            change.apply(to: &entries)
            changes.append(change)
        }

        func sync() {
            for case .moveIn(let move) in changes { move.isDurable = true }
            // A journal has both parts of a rename between folders: the file is never without a durable name.
            for case .moveOut(_, let move) in changes { move.makeDurable() }
            commit()
        }

        /// Makes the current content and names the durable ones.
        fileprivate func commit() {
            durableContent = content
            durableEntries = entries
            changes = []
        }
    }

    /// A rename of a file from one folder to another.
    final class Move {
        let node: Node
        let target: Node
        let name: String
        /// Whether the new name is durable.
        fileprivate(set) var isDurable = false
        /// The decision of a power failure; `nil` before it.
        fileprivate var isKept: Bool?

        init(_ node: Node, to target: Node, as name: String) {
            self.node = node
            self.target = target
            self.name = name
        }

        fileprivate func makeDurable() {
            if !isDurable { target.durableEntries[name] = node }
            isDurable = true
        }
    }

    /// A change of a folder's names, which is durable as a whole or not at all.
    enum NameChange {
        case add(String, Node)
        case remove(String)
        case rename(String, String, Node)
        /// The new name of a file from another folder.
        case moveIn(Move)
        /// The old name of a file that is in another folder now.
        case moveOut(String, Move)

        func apply(to entries: inout [String: Node]) {
            switch self {
            case .add(let name, let node): entries[name] = node
            case .remove(let name): entries[name] = nil
            case .rename(let name, let new, let node):
                entries[name] = nil
                entries[new] = node
            case .moveIn(let move): entries[move.name] = move.node
            case .moveOut(let name, _): entries[name] = nil
            }
        }

        /// Returns the decision of a power failure: one of a rename between folders keeps both names or none, unless the
        /// new one is durable.
        func isKept(_ chosen: Bool) -> Bool {
            switch self {
            case .add, .remove, .rename: return chosen
            case .moveIn(let move), .moveOut(_, let move):
                if move.isDurable { return chosen }
                let isKept = move.isKept ?? chosen
                move.isKept = isKept
                return isKept
            }
        }
    }

    /// The changes that a power failure keeps.
    private enum Survival: CaseIterable {
        /// Those that were synced.
        case synced
        case all
        /// Those of each folder and file up to a point in time.
        case oldest
        case any
    }

    /// Whether writes fail because the volume is full.
    package var isFull = false
    /// Whether files cannot be opened because the device is locked.
    package var isLocked = false
    /// Runs before each call of a process that may change the volume; it may end the process.
    package var willChange: ((SimulatedFileSystem) -> Void)?
    /// The number of renamed files.
    package internal(set) var renames = 0
    /// The number of power failures that lost a change.
    package private(set) var losses = 0

    let root: Node
    var random: SeededRandomStream
    /// The open file that holds the lock of each file.
    var locks: [UInt64: Int32] = [:]
    /// The number of the next open file, of all processes.
    var nextFile: Int32 = 3
    private var nodes: UInt64 = 1
    /// The names of each path that was used.
    private var paths: [String: [String]] = [:]
    private var changes = 0

    /// Creates a volume.
    ///
    /// - Parameters:
    ///   - folder: The path of an empty folder.
    ///   - random: Decides what a power failure keeps, and which calls are interrupted.
    package init(folder: String, random: SeededRandomStream) {
        root = Node(0, isFolder: true, mode: 0o755)
        self.random = random
        var parent = root
        for name in folder.split(separator: "/") {
            let node = create(isFolder: true, mode: 0o700)
            parent.change(.add(String(name), node))
            parent.sync()
            parent = node
        }
    }

    func create(isFolder: Bool, mode: UInt32) -> Node {
        defer { nodes += 1 }
        return Node(nodes, isFolder: isFolder, mode: mode)
    }

    /// Returns a number that is greater for a later change.
    func nextChange() -> Int {
        changes += 1
        return changes
    }

    /// Returns the file or folder with an absolute path.
    func node(_ path: String) -> Node? {
        var node: Node? = root
        for name in names(of: path) { node = node?.entries[name] }
        return node
    }

    /// Returns the names of a path, which a process uses again and again.
    func names(of path: String) -> [String] {
        if let names = paths[path] { return names }
        let names = path.split(separator: "/").map(String.init)
        paths[path] = names
        return names
    }

    /// Returns the names in a folder; an empty array if it does not exist.
    package func names(in folder: String) -> [String] { node(folder)?.entries.keys.sorted() ?? [] }

    // MARK: - Power failures

    /// Ends the process that makes a call which may change the volume, before that call.
    ///
    /// - Parameter number: The number of the call, counted from 1 and from now on.
    package func endProcess(atChange number: Int) {
        var calls = 0
        willChange = { system in
            calls += 1
            if calls == number { system.end() }
        }
    }

    /// Loses changes that were not synced; the processes must have ended.
    package func cutPower() {
        locks = [:]
        let losses = losses
        loseChanges(in: root, Survival.allCases[random.number(in: 0...Survival.allCases.count - 1)])
        self.losses = min(self.losses, losses + 1)
    }

    /// Makes all changes durable.
    package func sync() { loseChanges(in: root, .all) }

    private func loseChanges(in node: Node, _ survival: Survival) {
        if node.isFolder {
            var entries = node.durableEntries
            let survivors = survival == .oldest ? random.number(in: 0...node.changes.count) : 0
            for (index, change) in node.changes.enumerated() {
                let isKept =
                    switch survival {
                    case .synced: false
                    case .all: true
                    case .oldest: index < survivors
                    case .any: random.number(in: 0...1) == 1
                    }
                if change.isKept(isKept) { change.apply(to: &entries) } else { losses += 1 }
            }
            node.entries = entries
        } else if node.content != node.durableContent {
            losses += survival == .all ? 0 : 1
            node.content = remainder(of: node, survival)
        }
        node.commit()
        for (_, child) in node.entries.sorted(by: { $0.key < $1.key }) { loseChanges(in: child, survival) }
    }

    private func remainder(of node: Node, _ survival: Survival) -> [UInt8] {
        let (new, old) = (node.content, node.durableContent)
        let length = random.number(in: 0...new.count)
        switch survival {
        case .synced: return old
        case .all: return new
        case .oldest: return Array(new.prefix(length)) + old.dropFirst(length)
        case .any:
            // The size of a file can be durable before its content.
            return Array(new.prefix(length)) + repeatElement(0, count: new.count - length)
        }
    }

    /// Renames a file durably.
    ///
    /// - Returns: Whether it exists.
    package func rename(_ name: String, to new: String, in folder: String) -> Bool {
        guard let folder = node(folder), let file = folder.entries[name] else { return false }
        folder.change(.rename(name, new, file))
        folder.sync()
        return true
    }
}
