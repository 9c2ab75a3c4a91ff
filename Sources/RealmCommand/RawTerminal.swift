// SPDX-License-Identifier: Apache-2.0

// A terminal whose keys come one by one.

#if Tools
import Foundation
import RealmTools

/// Reads lines with editing from a terminal.
struct RawTerminal {
  private let original: termios

  /// Nil if standard input is no terminal.
  init?() {
    var settings = termios()
    guard unsafe tcgetattr(0, &settings) == 0 else { return nil }
    original = settings
  }

  /// A line; nil at the end of the input.
  func readLine(
    _ prompt: String, _ editor: inout LineEditor, _ completions: (String) -> [String]
  ) -> String? {
    var raw = original
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
    guard unsafe tcsetattr(0, TCSADRAIN, &raw) == 0 else { return nil }
    defer {
      var settings = original
      _ = unsafe tcsetattr(0, TCSADRAIN, &settings)
    }
    draw(prompt, editor)
    while let key = nextKey() {
      switch editor.press(key, completions: completions) {
      case .editing: draw(prompt, editor)
      case .line(let line):
        write("\r\n")
        return line
      case .choices(let words):
        write("\r\n" + TerminalText.safe(words.joined(separator: "  ")) + "\r\n")
        draw(prompt, editor)
      case .abandoned:
        write("^C\r\n")
        draw(prompt, editor)
      case .ended:
        write("\r\n")
        return nil
      }
    }
    return nil
  }

  private func draw(_ prompt: String, _ editor: LineEditor) {
    let back = TextWidth.of(TerminalText.safe(String(editor.text[editor.cursor...])))
    write(
      "\r\(prompt)\(TerminalText.safe(String(editor.text)))\u{1B}[K"
        + (back > 0 ? "\u{1B}[\(back)D" : ""))
  }

  private func write(_ text: String) { Terminal.write(text, to: 1) }

  // MARK: Keys

  private func nextByte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(0, &byte, 1)
      if count == 1 { return byte }
      if count < 0, errno == EINTR { continue }
      return nil
    }
  }

  private func nextKey() -> LineEditor.Key? {
    guard let byte = nextByte() else { return nil }
    switch byte {
    case 1: return .home
    case 3: return .interrupt
    case 4: return .endOfInput
    case 5: return .end
    case 8, 127: return .backspace
    case 9: return .tab
    case 10, 13: return .enter
    case 11: return .eraseRest
    case 14: return .down
    case 16: return .up
    case 21: return .eraseLine
    case 23: return .eraseWord
    case 27: return sequence()
    case 0..<32: return nextKey()
    default: return character(byte)
    }
  }

  private func sequence() -> LineEditor.Key? {
    guard let first = nextByte(), first == UInt8(ascii: "[") || first == UInt8(ascii: "O"),
      let second = nextByte()
    else { return nextKey() }
    switch second {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return .right
    case UInt8(ascii: "D"): return .left
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      while let byte = nextByte(), byte != UInt8(ascii: "~") {}
      switch second {
      case UInt8(ascii: "1"), UInt8(ascii: "7"): return .home
      case UInt8(ascii: "3"): return .delete
      case UInt8(ascii: "4"), UInt8(ascii: "8"): return .end
      default: return nextKey()
      }
    default: return nextKey()
    }
  }

  /// The character of which a byte of UTF-8 is the first.
  private func character(_ first: UInt8) -> LineEditor.Key? {
    var bytes = [first]
    let count = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    while bytes.count < count {
      guard let byte = nextByte() else { return nil }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self).first.map { .character($0) }
  }
}
#endif
