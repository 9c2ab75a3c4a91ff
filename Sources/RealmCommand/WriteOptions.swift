// SPDX-License-Identifier: Apache-2.0

// The option of all commands for writing to a realm file.

#if Tools
import ArgumentParser
import RealmTools

/// The wait of a command for other writers of the same file.
struct WriteOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How long to wait for another process that writes to the file.", valueName: "seconds"))
  var wait = 60.0

  func validate() throws {
    guard wait >= 0, wait.isFinite else {
      throw ValidationError("--wait must be a number of seconds, 0 at least.")
    }
  }

  /// The wait, reported on the terminal.
  func waiting(for path: String) -> RealmWriter.Waiting {
    let wait = wait
    return RealmWriter.Waiting(limit: wait) {
      Terminal.complain(
        "Another process is writing to '\(path)'; waiting for it, \(Int(wait)) seconds at most.")
    }
  }
}
#endif
