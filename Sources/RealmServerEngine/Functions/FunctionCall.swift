// SPDX-License-Identifier: Apache-2.0

// A call of a function of the app.

package import RealmFormats

/// A call of a function by a user.
package struct FunctionCall: Hashable, Sendable {
  package var name: String
  package var arguments: [BSONValue]
  package var account: Account
}
