// SPDX-License-Identifier: Apache-2.0

// What the command line may say.

/// A word of the command line that says nothing the program can do.
struct SyncMistake: Error {
  let text: String
}

enum SyncUsage {
  /// The text for `--help`.
  static func text(rows: [String]) -> String {
    """
    usage: realm-sync [OPTION VALUE]... [ROW]...

    Measures the parts of device sync: the rows whose names begin with a word, or all.

      --store                embedded, postgres or all (embedded)
      --mode                 partition or flexible (both)
      --clients              the clients of a crowd (10000)
      --clients-per-process  the most sockets of one process of a crowd (5000)
      --runs                 the runs of which the median is printed (3)
      --seconds              the seconds of a run (3)
      --down-seconds         the seconds for which a server of restart is away (10)
      --days                 the days of month (30)
      --transactions         the transactions of each of them (2000)

    Options are for rows with a server, which a build with the trait Server has. The rows:

      \(rows.joined(separator: "\n  "))

    """
  }
}
