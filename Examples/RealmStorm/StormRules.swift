// SPDX-License-Identifier: Apache-2.0

// The rules that change during a storm.

#if Server
/// Who may read and write what, as files of an app. In all of them users may make objects of their
/// own and keep them, so that what is acknowledged is never taken back.
enum StormRules: String, CaseIterable {
  /// All users may do everything.
  case open
  /// Others' objects are read, but not written. In partition mode: the second partition.
  case protected
  /// Others' objects are read if they are public. In partition mode the same as `protected`.
  case hidden

  static let app = "storm"

  /// The text of `app.json`.
  func file(_ mode: StormMode) -> String {
    let rights =
      mode == .partition
      ? "\"permissions\": \(permissions)"
      : "\"roles\": {\"default\": [\(roles)], \"classes\": {\"Tally\": [\(tallyRole)]}}"
    return """
      {"id": "\(Self.app)", "mode": "production", "sync": "\(mode.rawValue)",
        "providers": {"local-userpass": {"confirm": "auto"}}, \(rights)}

      """
  }

  private var permissions: String {
    guard self != .open else { return #"{"read": true, "write": true}"# }
    return #"""
      {"read": true, "write": {"%or": [
        {"%%partition": "\#(StormDevice.partitions[0])"}, {"%%user.custom_data.editor": true}]}}
      """#
  }

  private var all: String { #""read": true, "write": true, "insert": true, "delete": true"# }

  /// All users mark the tally.
  private var tallyRole: String { #"{"name": "all", "apply_when": {}, \#(all)}"# }

  private var roles: String {
    let own = #"{"owner": "%%user.id"}"#
    let (read, write) =
      switch self {
      case .open: ("true", "true")
      case .protected: ("true", own)
      case .hidden: (#"{"isPublic": true}"#, own)
      }
    return #"""
      {"name": "editor", "apply_when": {"%%user.custom_data.editor": true}, \#(all)},
        {"name": "owner", "apply_when": {}, \#(all),
          "document_filters": {"read": \#(read), "write": \#(write)}}
      """#
  }

  /// The text of `schema.json`.
  static let schema = """
    {"classes":[
      {"name":"Drop","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"string"},
        {"name":"count","type":"int"},
        {"name":"isPublic","type":"bool"},
        {"name":"owner","type":"string"},
        {"name":"stamp","type":"int"},
        {"name":"tags","type":"string","collection":"list"},
        {"name":"text","type":"string"}
      ]},
      {"name":"Tally","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"string"},
        {"name":"marks","type":"string","collection":"list"}
      ]}
    ]}

    """
}
#endif
