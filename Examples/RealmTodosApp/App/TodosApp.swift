// SPDX-License-Identifier: Apache-2.0

// The app: a log-in, then the list.

import RealmSwift
import SwiftUI

@main
struct TodosApp: SwiftUI.App {
  /// The simulator reaches the server of this machine; a device needs the address of yours.
  @State private var account = TodoAccount(
    app: "todos", settings: AppConfiguration(baseURL: "http://127.0.0.1:9090"))

  var body: some Scene {
    WindowGroup {
      if let configuration = account.configuration {
        TodoListView(account: account).environment(\.realmConfiguration, configuration)
      } else {
        LogInView(account: account)
      }
    }
  }
}
