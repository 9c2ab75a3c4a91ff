// SPDX-License-Identifier: Apache-2.0

// Sentences for the operator before an import begins.

#if Server
/// A sentence about a part of the app.
package struct ImportNote: Hashable, Sendable {
  /// The outcome for the part.
  package enum Kind: Hashable, Sendable {
    /// It is carried over as it was.
    case carried
    /// It is carried over in another form.
    case changed
    /// It is not carried over.
    case left
  }

  package let kind: Kind
  package let text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}
#endif
