// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import GRDB

extension SQLiteSchema {
    /// What operators look at over time.
    static func registerFigures(_ migrator: inout DatabaseMigrator) {
        migrator.registerMigration("7 figures over time") { database in
            try database.execute(
                sql: """
                    CREATE TABLE figures (
                        minute INTEGER NOT NULL,        -- since 1970; of what is older than two days, the first of the hour
                        node TEXT NOT NULL,             -- which server counted
                        name TEXT NOT NULL,
                        label TEXT NOT NULL,
                        value INTEGER NOT NULL,
                        PRIMARY KEY (minute, node, name, label)
                    ) WITHOUT ROWID;
                    """
            )
        }
    }
}
