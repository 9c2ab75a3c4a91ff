// SPDX-License-Identifier: Apache-2.0

// Addresses of mails.

#if Server
/// Checks addresses of mails, as they end up in headers of mails and in programs of the operator.
enum MailAddress {
  private static let byteCountMax = 254
  private static let nameByteCountMax = 64

  /// Whether a text is one address (RFC 5321), and neither a list nor a part of a header.
  static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard text.utf8.count <= byteCountMax, parts.count == 2, isName(parts[0]),
      text.unicodeScalars.allSatisfy(isPlain)
    else { return false }
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.unicodeScalars.allSatisfy { scalar in
          !scalar.isASCII || scalar == "-" || scalar.properties.isAlphabetic
            || ("0"..."9").contains(scalar)
        }
    }
  }

  /// Whether a text can be the name of a user who needs no mails: an address, or a text without "@"
  /// that lines of programs can show.
  static func isUserName(_ text: String) -> Bool {
    guard !text.contains("@") else { return isValid(text) }
    return (1...byteCountMax).contains(text.utf8.count) && text.first != " " && text.last != " "
      && text.unicodeScalars.allSatisfy { $0 == " " || isVisible($0) }
  }

  private static func isName(_ name: Substring) -> Bool {
    (1...nameByteCountMax).contains(name.utf8.count) && !name.hasPrefix(".")
      && !name.hasPrefix("-") && !name.hasSuffix(".") && !name.contains("..")
  }

  /// Neither a blank, a control or format character, nor one for separating and quoting addresses.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    isVisible(scalar) && !"()<>[]:;,\\\"".unicodeScalars.contains(scalar)
  }

  /// Neither a blank nor a control or format character.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate,
      .privateUse, .unassigned:
      false
    default: true
    }
  }
}
#endif
