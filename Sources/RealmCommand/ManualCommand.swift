// SPDX-License-Identifier: Apache-2.0

// The command `realm manual`.

#if Tools
import ArgumentParser
import RealmFormats
import RealmStorage
import RealmTools

/// The command `realm manual`.
struct ManualCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Prints the manual page of the program, for man.",
    discussion: "Example: realm manual > /usr/local/share/man/man1/realm.1")

  func work() throws -> ExitStatus {
    let dump: JSONValue
    do throws(JSONError) { dump = try JSONParser.parse(RealmCommand._dumpHelp()) } catch {
      throw ToolFailure.badData("The description of the commands is no JSON: \(error).")
    }
    let sink = ByteSink(descriptor: 1)
    try sink.write(try ManualPage(dump: dump, version: LibraryVersion.text).text)
    try sink.finish()
    return .fine
  }
}
#endif
