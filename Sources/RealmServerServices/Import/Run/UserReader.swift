// SPDX-License-Identifier: Apache-2.0

// Lists of users, as the former service gives them.
//
// Its interface gives arrays of users with their identities. Its command line gives tables, one for
// each way to log in, whose rows have an id and for passwords an address.

#if Server
import RealmFormats
import RealmSyncProtocol

/// Reads users and stores them.
struct UserReader {
  static let namespace = DumpNamespace(nil, "users")

  private static let groupCount = 1_000
  /// The ways to log in without a counterpart here: keys are not exported, and an anonymous user
  /// has nothing but the device.
  private static let leftProviders: Set<String> = [
    AccountService.anonymousProvider, AccountService.keyProvider,
  ]

  private let dump: JSONDump

  init(_ dump: JSONDump) { self.dump = dump }

  /// Stores all users, and returns their number.
  func store(in accounts: AccountStore) async throws(ImportError) -> Int {
    var ids: Set<String> = []
    var group: [MovedUser] = []
    while let document = try dump.next() {
      guard case .json(let bytes) = document.content else { continue }
      let json: JSONValue
      do throws(JSONError) {
        json = try JSONParser.parse(bytes)
      } catch {
        throw .damage(document.path, at: document.offset, "a user is no JSON: \(error)")
      }
      for user in Self.users(in: json) {
        group.append(user)
        ids.insert(user.id)
      }
      guard group.count >= Self.groupCount else { continue }
      try await Self.store(group, accounts)
      group = []
    }
    try await Self.store(group, accounts)
    return ids.count
  }

  private static func store(
    _ users: [MovedUser], _ accounts: AccountStore
  ) async throws(ImportError) {
    guard !users.isEmpty else { return }
    let taken: [IdentityName]
    do throws(AccountError) {
      taken = try await accounts.add(users)
    } catch {
      throw ImportError("The users of the app cannot be stored: \(error).")
    }
    guard let first = taken.first else { return }
    throw ImportError(
      "The list of users has two users who log in as \(first.name) (\(first.provider)). Remove one "
        + "of them from the list.")
  }

  // MARK: Forms

  /// The users in a part of a list.
  static func users(in json: JSONValue) -> [MovedUser] {
    switch json {
    case .array(let elements): return elements.flatMap { users(in: $0) }
    case .object(let members):
      if json["_id"] != nil, json["identities"] != nil {
        return user(json).map { [$0] } ?? []
      }
      if json["ID"]?.string != nil { return row(json).map { [$0] } ?? [] }
      return members.flatMap { users(in: $0.value) }
    default: return []
    }
  }

  /// A user with identities; nil for one without a way to log in here.
  private static func user(_ json: JSONValue) -> MovedUser? {
    let id = json["_id"]?.string ?? json["_id"]?["$oid"]?.string ?? ""
    let seconds = json["creation_date"]?.integer ?? 0
    guard json["type"]?.string != "server",
      var user = MovedUser(
        id: id.lowercased(),
        created: OriginTimestamp(unixMilliseconds: seconds.multipliedReportingOverflow(by: 1_000).0)
      )
    else { return nil }
    user.isDisabled = json["disabled"]?.bool ?? false
    for identity in json["identities"]?.array ?? [] {
      guard let provider = identity["provider_type"]?.string, !leftProviders.contains(provider),
        !provider.isEmpty, !provider.contains(" "), let given = identity["id"]?.string
      else { continue }
      let data = identity["provider_data"] ?? json["data"] ?? .object([])
      if provider == AccountService.passwordProvider {
        guard let email = data["email"]?.string ?? json["data"]?["email"]?.string else { continue }
        user.identities.append(
          .init(name: IdentityName(provider: provider, name: email), id: given))
      } else {
        user.identities.append(
          .init(
            name: IdentityName(provider: provider, name: given), id: id, profile: profile(data)))
      }
    }
    return user.identities.isEmpty ? nil : user
  }

  private static func profile(_ json: JSONValue) -> [BSONElement] {
    guard let value = try? ExtendedJSONReader.value(json), case .document(let elements) = value
    else { return [] }
    return elements
  }

  /// A row of the table of users with passwords; nil for one of another table, without a name for
  /// logging in.
  private static func row(_ json: JSONValue) -> MovedUser? {
    guard let email = json["Email"]?.string, let id = json["ID"]?.string,
      var user = MovedUser(id: id.lowercased(), created: OriginTimestamp(milliseconds: 0))
    else { return nil }
    user.isDisabled = json["Enabled"]?.bool == false
    user.identities = [
      .init(name: IdentityName(provider: AccountService.passwordProvider, name: email), id: id)
    ]
    return user
  }
}
#endif
