// SPDX-License-Identifier: Apache-2.0

// The words of all providers about a user.

package import RealmFormats

extension [Identity] {
  /// What all providers tell of a user. An older identity's word counts.
  package var profile: [BSONElement] {
    var data: [BSONElement] = []
    for identity in self {
      var elements = identity.profile
      if identity.name.provider == AccountService.passwordProvider {
        elements.append(BSONElement("email", .string(identity.name.name)))
      }
      for element in elements where !data.contains(where: { $0.key == element.key }) {
        data.append(element)
      }
    }
    return data
  }
}
