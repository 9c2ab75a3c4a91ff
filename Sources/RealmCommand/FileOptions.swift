// SPDX-License-Identifier: Apache-2.0

// The options of all commands for opening a realm file.

#if Tools
import ArgumentParser
import RealmStorage
import RealmTools

/// A realm file and its key.
struct FileOptions: ParsableArguments {
  @Argument(help: "The realm file.", completion: .file(extensions: ["realm"]))
  var file: String

  @OptionGroup var encryption: KeyOptions

  /// The file, opened for reading.
  func reader() throws -> RealmReader { try RealmReader(path: file, key: encryption.key()) }

  /// The file, opened for writing.
  func writer(creates: Bool = false, waiting: RealmWriter.Waiting) throws -> RealmWriter {
    try RealmWriter(path: file, key: encryption.key(), creates: creates, waiting: waiting)
  }
}

/// The key of an encrypted file.
struct KeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file with the key of an encrypted realm: 64 bytes, or their hexadecimal digits, or their "
        + "Base64.", valueName: "path"),
    completion: .file())
  var keyFile: String?

  func key() throws -> EncryptionKey? {
    guard let keyFile else { return nil }
    return try KeyFile.key(at: keyFile)
  }
}
#endif
