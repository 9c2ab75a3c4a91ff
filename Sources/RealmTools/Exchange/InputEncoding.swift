// SPDX-License-Identifier: Apache-2.0

// The encodings of imported texts.

#if Tools
/// How the characters of an imported file are written as bytes.
package enum InputEncoding: String, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16 = "utf-16"
  case latin1
  case windows1252 = "windows-1252"

  /// The encoding that a name means: `utf-8`, `UTF8`, `iso-8859-1`, `cp1252`.
  package init?(named name: String) {
    switch name.lowercased().filter({ $0 != "-" && $0 != "_" }) {
    case "utf8": self = .utf8
    case "utf16", "utf16le", "utf16be": self = .utf16
    case "latin1", "iso88591": self = .latin1
    case "windows1252", "cp1252": self = .windows1252
    default: return nil
    }
  }

  /// The encoding that the first bytes tell: no other text begins with the mark of UTF-16.
  static func marked(_ bytes: some Sequence<UInt8>) -> InputEncoding? {
    let first = Array(bytes.prefix(2))
    return first == [0xFF, 0xFE] || first == [0xFE, 0xFF] ? .utf16 : nil
  }
}
#endif
