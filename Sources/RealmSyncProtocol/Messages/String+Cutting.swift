// SPDX-License-Identifier: Apache-2.0

// Texts of which only a part can be sent.

extension String {
  /// The beginning of the text that has at most some bytes of UTF-8: whole characters, or whole
  /// Unicode scalars if the first character alone has more.
  package func cut(toByteCount byteCountMax: Int) -> String {
    guard utf8.count > byteCountMax else { return self }
    var rest = byteCountMax
    func fits(_ byteCount: Int) -> Bool {
      rest -= byteCount
      return rest >= 0
    }
    let whole = prefix { fits($0.utf8.count) }
    guard whole.isEmpty else { return String(whole) }
    rest = byteCountMax
    return String(String.UnicodeScalarView(unicodeScalars.prefix { fits(UTF8.width($0)) }))
  }
}
