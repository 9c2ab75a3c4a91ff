// SPDX-License-Identifier: Apache-2.0

// A copy of a file, with another key.

#if Tools
import ArgumentParser
import Foundation
import RealmFormats
import RealmTools

/// The command `realm copy`.
struct CopyCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Writes a copy without free space: with the same key, another one, or none.",
    discussion: """
      The file with the new key is made, with a random key, if it is missing.

      Example: realm copy todos.realm safe.realm --new-key safe.key
      """)

  @OptionGroup var file: FileOptions
  @Argument(help: "The copy, which must not be there yet.", completion: .file())
  var target: String
  @Option(help: "A file with the key of the copy.", completion: .file())
  var newKey: String?
  @Flag(help: "Write a copy that is not encrypted.")
  var noKey = false
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if newKey != nil, noKey { throw ValidationError("Give --new-key or --no-key, not both.") }
  }

  func work() throws -> ExitStatus {
    let key = try file.encryption.key()
    try NewFile.requireFree(target)
    // A bad file is reported before a key is made for it.
    _ = try RealmReader(path: file.file, key: key)
    var isNewKey = false
    if let newKey, !FileManager.default.fileExists(atPath: newKey) {
      try FileCopy.makeKey(at: newKey)
      isNewKey = true
    }
    let chosen = try noKey ? nil : newKey.map { try KeyFile.key(at: $0) } ?? key
    try FileCopy.copy(file.file, key: key, to: target, newKey: chosen)
    try output.print(
      ["path": .string(target), "encrypted": .bool(chosen != nil), "newKey": .bool(isNewKey)]
    ) {
      "\(target) was written\(chosen == nil ? "" : ", encrypted").\n"
        + (isNewKey ? "Keep \(newKey ?? ""): without that key the copy cannot be read.\n" : "")
    }
    return .fine
  }
}
#endif
