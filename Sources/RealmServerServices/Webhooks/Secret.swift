// SPDX-License-Identifier: Apache-2.0

// Secrets of the operator in the file of an app.

#if Server
/// A password, a key of others or the secret of a webhook. Its description does not show it.
package struct Secret: Hashable, Sendable, CustomStringConvertible {
  package let text: String
  /// The file that the text was read from, as `app.json` names it; nil if the text is there itself.
  package let file: String?

  package init(_ text: String, file: String? = nil) {
    self.text = text
    self.file = file
  }

  package var bytes: [UInt8] { Array(text.utf8) }

  package var description: String { "(secret)" }
}

extension Secret: CustomReflectable {
  package var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
