// SPDX-License-Identifier: Apache-2.0

// The command that changes the key of a file.

#if Tools
import ArgumentParser
import Foundation
import RealmFormats
import RealmTools

/// The command `realm rewrite`.
struct RewriteCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "rewrite",
    abstract: "Changes the key of a file in its place; no process may have it open.",
    discussion: """
      A plain file gets a key, an encrypted one another key or none. The file with the new key is \
      made, with a random key, if it is missing. A crash leaves the file with the old key or with \
      the new one: keep both until the command has ended. What was written is read back first.

      Example: realm rewrite todos.realm --key-file old.key --new-key new.key
      """)

  @OptionGroup var file: FileOptions
  @Option(help: "A file with the new key.", completion: .file())
  var newKey: String?
  @Flag(help: "Decrypt the file.")
  var noKey = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if (newKey != nil) == noKey { throw ValidationError("Give --new-key or --no-key.") }
  }

  func work() throws -> ExitStatus {
    let key = try file.encryption.key()
    let wasEncrypted = try FileCopy.requireReadable(file.file, key: key)
    var isNewKey = false
    if let newKey, !FileManager.default.fileExists(atPath: newKey) {
      try FileCopy.makeKey(at: newKey)
      isNewKey = true
    }
    // A key that was made stays where the change fails: the next attempt uses it.
    try FileCopy.changeKey(file.file, from: key, to: newKey.map { try KeyFile.key(at: $0) })
    try output.print(
      [
        "path": .string(file.file), "wasEncrypted": .bool(wasEncrypted),
        "encrypted": .bool(newKey != nil), "newKey": .bool(isNewKey),
      ]
    ) {
      guard let newKey else { return "\(file.file) is not encrypted any more.\n" }
      return "\(file.file) has \(wasEncrypted ? "the new key" : "a key").\n"
        + (isNewKey ? "Keep \(newKey): without that key the file cannot be read.\n" : "")
    }
    return .fine
  }
}
#endif
