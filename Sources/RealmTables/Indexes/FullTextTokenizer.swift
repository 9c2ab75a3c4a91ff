// SPDX-License-Identifier: Apache-2.0

// The words of a text, as full-text indexes enter them.

/// Cuts UTF-8 text into the words that a full-text index knows.
///
/// ASCII letters and digits and Latin-1 letters make words; letters become lower case and lose
/// their diacritics, but for æ, å, ð, ø, þ and ß. Everything else separates words, save × and ÷,
/// which are passed over.
///
/// - SeeAlso: file format 4.14.6.
package enum FullTextTokenizer {
  /// Tokens are cut at this many bytes.
  static let maximumByteCount = 64

  /// A word of at most 64 bytes.
  package struct Token: Hashable, Sendable {
    package fileprivate(set) var bytes: [UInt8] = []
  }

  /// The distinct words of a text.
  package static func tokens(of text: UnsafeRawBufferPointer) -> Set<Token> {
    var found: Set<Token> = []
    var word = Token()
    var isInWord = false
    var index = 0
    func end() {
      if isInWord { found.insert(word) }
      word = Token()
      isInWord = false
    }
    while index < text.count {
      let byte = unsafe text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        word.append([byte])
        isInWord = true
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        word.append([byte + 32])
        isInWord = true
      case 0xC0...0xDF where index < text.count:
        let code = unsafe UInt32(byte & 0x1F) << 6 | UInt32(text[index] & 0x3F)
        index += 1
        guard (0xC0..<0xFF).contains(code) else {
          end()
          continue
        }
        word.append(folded(code))
        isInWord = true
      case 0xE0...0xEF:
        index += 2
        end()
      case 0xF0...0xF7:
        index += 3
        end()
      default: end()
      }
    }
    end()
    return found
  }

  /// A Latin-1 letter in lower case and without diacritic; nothing for × and ÷.
  private static func folded(_ code: UInt32) -> [UInt8] {
    switch code | 0x20 {
    case 0xE0...0xE4: [UInt8(ascii: "a")]
    case 0xE7: [UInt8(ascii: "c")]
    case 0xE8...0xEB: [UInt8(ascii: "e")]
    case 0xEC...0xEF: [UInt8(ascii: "i")]
    case 0xF1: [UInt8(ascii: "n")]
    case 0xF2...0xF6: [UInt8(ascii: "o")]
    case 0xF7: []
    case 0xF9...0xFC: [UInt8(ascii: "u")]
    case 0xFD: [UInt8(ascii: "y")]
    case 0xFF: [0xC3, 0x9F]  // ß is 0xDF, whose bit 0x20 is clear
    default: [0xC3, UInt8(truncatingIfNeeded: (code | 0x20) & 0x3F) | 0x80]
    }
  }
}

extension FullTextTokenizer.Token {
  fileprivate mutating func append(_ more: [UInt8]) {
    guard bytes.count + more.count <= FullTextTokenizer.maximumByteCount else { return }
    bytes += more
  }
}
