#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lets standbys of the same network follow the primary of compose.yaml.
echo "host replication all samenet scram-sha-256" >>"$PGDATA/pg_hba.conf"
