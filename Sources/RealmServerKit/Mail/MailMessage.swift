// SPDX-License-Identifier: Apache-2.0

// A mail as bytes (RFC 5322, RFC 2045, RFC 2047).

#if Server
import Foundation
import RealmFormats
import RealmText

/// A mail with a text.
struct MailMessage: Hashable, Sendable {
  /// The most bytes of an encoded word, before it is encoded.
  private static let wordByteCountMax = 36

  let sender: String
  let recipient: String
  let subject: String
  let text: String
  /// Letters and digits, in no other mail.
  let id: String

  /// The part of an address after the "@".
  var senderDomain: String {
    sender.lastIndex(of: "@").map { String(sender[sender.index(after: $0)...]) } ?? "localhost"
  }

  /// The mail with lines that end in CR and LF. No line begins with a point.
  func bytes(date: Date) -> [UInt8] {
    let headers = [
      "From: <\(sender)>", "To: <\(recipient)>", "Subject: \(Self.encoded(subject))",
      "Date: \(Self.text(of: date))", "Message-ID: <\(id)@\(senderDomain)>",
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "",
    ]
    let content = Array(Base64.encode(Array(text.replacing("\n", with: "\r\n").utf8)))
    let lines = stride(from: 0, to: content.count, by: 76).map { start in
      String(content[start..<min(start + 76, content.count)])
    }
    return Array(((headers + lines).joined(separator: "\r\n") + "\r\n").utf8)
  }

  private static func text(of date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
    return formatter.string(from: date)
  }

  /// The text of a header: encoded words, unless it is short and of ASCII.
  private static func encoded(_ text: String) -> String {
    if text.utf8.count <= 60, text.allSatisfy(\.isASCII), !text.contains("=?") { return text }
    var words: [String] = []
    var word = ""
    for character in text {
      if word.utf8.count + String(character).utf8.count > wordByteCountMax, !word.isEmpty {
        words.append(word)
        word = ""
      }
      word.append(character)
    }
    words.append(word)
    return words.map { "=?utf-8?B?\(Base64.encode(Array($0.utf8)))?=" }
      .joined(separator: "\r\n ")
  }
}
#endif
