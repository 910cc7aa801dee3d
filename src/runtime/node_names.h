/* node_names.h: the names of Node's built-in modules, and which of them fino has. */
#ifndef FINO_RT_NODE_NAMES_H
#define FINO_RT_NODE_NAMES_H

enum rt_node_name { RT_NODE_NO_NAME, RT_NODE_MISSING, RT_NODE_THERE };

/* What NAME ("fs/promises", without "node:") is. */
enum rt_node_name rt_node_name(const char *name);

/* "node:assert, node:buffer, ...": those that are there, for people. To free. */
char *rt_node_list(void);

#endif
