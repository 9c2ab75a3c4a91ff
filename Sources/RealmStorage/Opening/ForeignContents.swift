// SPDX-License-Identifier: Apache-2.0

// What a file that is no database is instead, by its first bytes, for messages.

/// Files of other programs.
enum ForeignContents {
  /// The first bytes of other formats, each with the name of the format and a remedy.
  private static let forms: [(beginning: [UInt8], text: String)] = [
    (
      Array("SQLite format 3\0".utf8),
      "it begins with 'SQLite format 3': it is an SQLite database. 'realm import' makes a Realm of "
        + "it"
    ),
    ([0x1F, 0x8B], "it is compressed (gzip). Unpack it first"),
    (Array("PK\u{3}\u{4}".utf8), "it is an archive (zip). Unpack it first"),
    ([0x28, 0xB5, 0x2F, 0xFD], "it is compressed (zstd). Unpack it first"),
    (Array("bplist".utf8), "it is a property list, not a Realm file. Check the path"),
  ]
  /// How many bytes of a text are looked at, and shown.
  private static let shownCount = 24

  /// The message for a file that begins with `bytes`; nil for bytes that say nothing.
  static func text(of bytes: UnsafeRawBufferPointer) -> String? {
    for form in forms where unsafe bytes.starts(with: form.beginning) { return form.text + "." }
    let beginning = unsafe Array(bytes.prefix(shownCount))
    guard beginning.count == shownCount,
      beginning.allSatisfy({ (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) })
    else { return nil }
    let line = beginning.prefix { $0 >= 0x20 }
    return "it begins with '\(String(decoding: line, as: UTF8.self))': it is a text, not a Realm "
      + "file. Check the path."
  }
}
